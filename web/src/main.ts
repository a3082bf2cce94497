import { mount } from 'svelte';
import App from './App.svelte';
import { keepFocus } from './browser/focus';
import { start } from './i18n/i18n.svelte';
import { prefs } from './browser/prefs.svelte';
import './styles/fonts.css';
import './styles/app.css';

prefs.apply();
keepFocus();
await start();

const target = document.getElementById('app');
if (target) mount(App, { target });

// The page opens without a connection; in development nothing is cached.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  // On a first visit files load before the service worker controls the page, and some finish only afterwards: request them all
  // again.
  if (!navigator.serviceWorker.controller) navigator.serviceWorker.addEventListener('controllerchange', askAgain, { once: true });
  void navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}

function askAgain(): void {
  const controlled = performance.now();
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (startTime < controlled && name.startsWith(`${location.origin}/assets/`)) void fetch(name).catch(() => undefined);
  }).observe({ type: 'resource', buffered: true });
}
