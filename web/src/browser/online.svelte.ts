/** Whether the browser has a connection, as far as it knows. */
class Online {
  yes = $state(navigator.onLine);

  constructor() {
    addEventListener('online', () => (this.yes = true));
    addEventListener('offline', () => (this.yes = false));
  }
}

export const online = new Online();
