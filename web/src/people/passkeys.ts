import type { Me } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';
import { ApiError, askPasskey, askPasskeySignIn, keepPasskey, signInByPasskey } from '../server/api';

/** A passkey belongs to a host name, so a page opened by IP address can have none. */
export const passkeysWork = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  window.isSecureContext &&
  !/^(\d+\.){3}\d+$|^\[/.test(location.hostname);

/** Ends the browser's dialog for a passkey, if one is open. */
let open = new AbortController();

/** What the browser's dialog answers, for the server. One that is still open ends: a browser shows one at a time. */
async function told(dialog: (signal: AbortSignal) => Promise<Credential | null>): Promise<string> {
  open.abort();
  open = new AbortController();
  const credential = await dialog(open.signal).catch((error: unknown) => {
    if (cancelled(error)) throw error;
    const there = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new ApiError(0, t(there ? 'account.passkey.there' : 'account.passkey.failed'));
  });
  return JSON.stringify((credential as PublicKeyCredential).toJSON());
}

/** Make a passkey: for the account that is signed in, or for a new one by this name. */
export async function makePasskey(name: string | null, label: string): Promise<Me> {
  const { ticket, options } = await askPasskey(name);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  return keepPasskey({ ticket, credential: await told((signal) => navigator.credentials.create({ publicKey, signal })), label });
}

/** Sign in with a passkey that the browser has for this host. */
export async function usePasskey(): Promise<Me> {
  const { ticket, options } = await askPasskeySignIn();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
  return signInByPasskey({ ticket, credential: await told((signal) => navigator.credentials.get({ publicKey, signal })) });
}

/** The user closed the browser's dialog, let it time out, or opened another. */
export const cancelled = (error: unknown): boolean =>
  error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name);
