import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import en from '../i18n/en.json';
import { ApiError } from '../server/api';
import { cancelled, makePasskey } from './passkeys';

const create = vi.fn();

beforeEach(() => {
  create.mockReset();
  vi.stubGlobal('navigator', { credentials: { create } });
  vi.stubGlobal('PublicKeyCredential', { parseCreationOptionsFromJSON: (options: unknown) => options });
  vi.stubGlobal('fetch', async () => Response.json({ ticket: 'a', options: '{}' }));
});
afterEach(() => vi.unstubAllGlobals());

/** Why no passkey was made after the browser's dialog failed. */
function failure(name: string): Promise<unknown> {
  create.mockRejectedValue(new DOMException('', name));
  return makePasskey(null, 'Firefox').catch((error: unknown) => error);
}

describe('a passkey that the browser does not make', () => {
  it('is told from a server that does not answer', async () => {
    expect(await failure('InvalidStateError')).toEqual(new ApiError(0, en['account.passkey.there']));
    for (const name of ['NotSupportedError', 'SecurityError', 'UnknownError'])
      expect(await failure(name)).toEqual(new ApiError(0, en['account.passkey.failed']));
  });
  it('may be what the player wants', async () => {
    expect(cancelled(await failure('NotAllowedError'))).toBe(true);
  });
  it('ends with its dialog when another is opened', async () => {
    create.mockImplementation(
      ({ signal }: CredentialCreationOptions) =>
        new Promise((_, fail) => signal?.addEventListener('abort', () => fail(signal.reason))),
    );
    const first = makePasskey(null, 'Firefox').catch((error: unknown) => error);
    await vi.waitFor(() => expect(create).toHaveBeenCalledOnce());
    void makePasskey(null, 'Firefox');
    expect(cancelled(await first)).toBe(true);
  });
});
