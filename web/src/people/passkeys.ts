import type { Me } from '../gen/protocol';
import { t } from '../i18n/i18n.svelte';
import { ApiError, askPasskey, askPasskeySignIn, keepPasskey, signInByPasskey } from '../server/api';

/** A passkey belongs to a host name, so a page opened by IP address can have none. */
export const passkeysWork = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  window.isSecureContext &&
  !/^(\d+\.){3}\d+$|^\[/.test(location.hostname);

/** What the browser's dialog answers, for the server. */
async function told(dialog: Promise<Credential | null>): Promise<string> {
  const credential = await dialog.catch((error: unknown) => {
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
  return keepPasskey({ ticket, credential: await told(navigator.credentials.create({ publicKey })), label });
}

/** Sign in with a passkey that the browser has for this host. */
export async function usePasskey(): Promise<Me> {
  const { ticket, options } = await askPasskeySignIn();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
  return signInByPasskey({ ticket, credential: await told(navigator.credentials.get({ publicKey })) });
}

/** The user closed the browser's dialog, or let it time out. */
export const cancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotAllowedError';
