// The page without a connection: its shell, and every file that it has loaded. What the build names by its contents never
// changes and is kept as it is; pages are asked for first and answered from what is kept when nobody answers. The server's
// interface is never kept.
const CACHE = 'dasan-shell-1';
// Every file of the version that the server has, by its address (vite.config.ts).
const FILES = '/files.json';
const SHELL = ['/', '/seal.svg', '/theme.js', '/manifest.webmanifest'];

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(async (cache) => {
        await cache.addAll(SHELL);
        // The page names the files it starts with; without them a shell would open to nothing.
        const page = await (await cache.match('/')).text();
        await cache.addAll([...page.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path));
      })
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(dropOld)
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin || /^\/(api|ws)\//.test(url.pathname)) return;
  // A check whether the server answers (lazy.ts).
  if (request.cache === 'no-store') return;
  if (url.pathname.startsWith('/assets/')) event.respondWith(kept(request));
  else if (request.mode === 'navigate' || url.pathname === '/') event.respondWith(freshPage(request, event));
  else event.respondWith(fresh(request, request));
});

/** A file that never changes: from the cache, else from the server into it. */
async function kept(request) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

/** The page. A new version names other files: those that it does not name are dropped. */
async function freshPage(request, event) {
  const cache = await caches.open(CACHE);
  const before = await (await cache.match('/'))?.text();
  const answer = await fresh(request, '/');
  const now = await answer.clone().text();
  if (answer.ok && now !== before) event.waitUntil(dropOld());
  return answer;
}

/** Drop files that the server's version does not name; without an answer they stay. */
async function dropOld() {
  try {
    const answer = await fetch(FILES, { cache: 'no-store' });
    if (!answer.ok) return;
    const named = new Set(await answer.json());
    const cache = await caches.open(CACHE);
    for (const request of await cache.keys()) {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/assets/') && !named.has(pathname)) await cache.delete(request);
    }
  } catch {
    // No connection: the next new page drops them.
  }
}

/** What may change: from the server, and what was kept last where nobody answers. */
async function fresh(request, key) {
  const cache = await caches.open(CACHE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const found = await cache.match(key);
    if (found) return found;
    throw error;
  }
}

// A notification says who and where, in words that the server has chosen (docs/guide/notifications.md).
self.addEventListener('push', (event) => {
  const { title, body, tag, language, path } = event.data?.json() ?? {};
  const shown = { body, tag, lang: language, icon: '/icon-192.png', data: { path } };
  event.waitUntil(self.registration.showNotification(title ?? 'dasan', shown));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path ?? '/'));
});

/** Show the page at a path of this server: in the window that has it open, else in a new one. */
async function open(path) {
  const url = new URL(path, location.origin);
  if (url.origin !== location.origin) return;
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = windows.find((one) => new URL(one.url).pathname === url.pathname);
  await (there ? there.focus() : clients.openWindow(url.href));
}

self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(subscribeAgain(event)));

/** The push service has ended the subscription: tell the server the next one. */
async function subscribeAgain({ oldSubscription, newSubscription }) {
  if (!oldSubscription && !newSubscription) return;
  const { endpoint, keys } = (
    newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription.options))
  ).toJSON();
  await fetch('/api/notifications/browsers', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, keys }),
  });
}
