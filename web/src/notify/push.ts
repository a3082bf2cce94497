import type { PushSubscribe } from '../gen/protocol';

/** Whether this browser can show notifications of this page: only where the address is secure. */
export const pushWorks = (): boolean =>
  window.isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The id by which the server knows a subscription: the SHA-256 of its endpoint. */
async function idOf(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const current = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription()) ?? null;

/** A key as the server writes it: base64url. */
const written = (key: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** This browser's subscription: its id, and the server's key when it was made. Push services refuse any other key. */
export interface Own {
  id: string;
  key: string;
}

export async function ownSubscription(): Promise<Own | null> {
  const own = pushWorks() ? await current() : null;
  return own && { id: await idOf(own.endpoint), key: written(own.options.applicationServerKey) };
}

/** Subscribe this browser with the server's key; null if its user does not allow notifications. */
export async function subscribe(key: string): Promise<PushSubscribe | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  // A subscription with another key is useless: the server's secret has changed.
  await (await current())?.unsubscribe();
  const { pushManager } = await navigator.serviceWorker.ready;
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint = '', keys } = made.toJSON();
  return { endpoint, keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } };
}

/** End this browser's subscription. */
export async function unsubscribe(): Promise<void> {
  await (await current())?.unsubscribe();
}
