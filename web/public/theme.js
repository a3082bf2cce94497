// Before the first paint: the theme the player chose, so that the page does not flash.
try {
  const theme = JSON.parse(localStorage.getItem('dasan.theme'));
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is closed: the system's theme it is.
}
