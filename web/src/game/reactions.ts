import type { ReactCommand } from '../gen/protocol';

/** The quick reactions, and how each is shown. */
export const REACTIONS: Record<ReactCommand['reaction'], string> = {
  good: '👍',
  thanks: '🙏',
  wow: '😮',
  oops: '🙈',
  laugh: '😄',
  hurry: '⏳',
  hello: '👋',
  bye: '🌙',
};
