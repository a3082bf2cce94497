import type { Me } from '../gen/protocol';
import { askPasskey, askPasskeySignIn, keepPasskey, signInByPasskey } from '../server/api';

/** A passkey belongs to a host name, so a page opened by IP address can have none. */
export const passkeysWork = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseCreationOptionsFromJSON' in PublicKeyCredential &&
  window.isSecureContext &&
  !/^(\d+\.){3}\d+$|^\[/.test(location.hostname);

const told = (credential: Credential | null): string => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey');
  return JSON.stringify(credential.toJSON());
};

/** Make a passkey: for the account that is signed in, or for a new one by this name. */
export async function makePasskey(name: string | null, label: string): Promise<Me> {
  const { ticket, options } = await askPasskey(name);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  return keepPasskey({ ticket, credential: told(await navigator.credentials.create({ publicKey })), label });
}

/** Sign in with a passkey that the browser has for this host. */
export async function usePasskey(): Promise<Me> {
  const { ticket, options } = await askPasskeySignIn();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
  return signInByPasskey({ ticket, credential: told(await navigator.credentials.get({ publicKey })) });
}

/** The user closed the browser's dialog, or let it time out. */
export const cancelled = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotAllowedError';
