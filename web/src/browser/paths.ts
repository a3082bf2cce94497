export type Route =
  | { page: 'start' }
  | { page: 'table'; id: string }
  | { page: 'hand'; id: string }
  | { page: 'puzzles'; id: string | null }
  | { page: 'learn'; game: string | null; practice: boolean }
  | { page: 'rules'; preset: string }
  | { page: 'profile'; name: string | null }
  | { page: 'events' }
  | { page: 'event'; id: string }
  | { page: 'moderation' }
  | { page: 'friends' }
  | { page: 'bidding' }
  | { page: 'groups' }
  | { page: 'group'; id: string }
  | { page: 'join'; link: string }
  | { page: 'notifications' }
  | { page: 'letters'; token: string }
  | { page: 'ladder' }
  | { page: 'link'; token: string }
  | { page: 'missing' };

/** Which page a path names. */
export function parse(path: string): Route {
  if (path === '/' || path === '/index.html') return { page: 'start' };
  const [, head, tail, ...more] = path.replace(/\/$/, '').split('/');
  const name = tail ? safe(tail) : null;
  if (head === 'learn' && name && more.join('/') === 'practice') return { page: 'learn', game: name, practice: true };
  if (more.length) return { page: 'missing' };
  switch (head) {
    case 't':
      return name ? { page: 'table', id: name } : { page: 'missing' };
    case 'h':
      return name ? { page: 'hand', id: name } : { page: 'missing' };
    case 'puzzles':
      return { page: 'puzzles', id: name };
    case 'learn':
      return { page: 'learn', game: name, practice: false };
    case 'rules':
      return name ? { page: 'rules', preset: name } : { page: 'missing' };
    case 'events':
      return name ? { page: 'event', id: name } : { page: 'events' };
    case 'bidding':
      return name ? { page: 'missing' } : { page: 'bidding' };
    case 'ladder':
      return name ? { page: 'missing' } : { page: 'ladder' };
    case 'friends':
      return name ? { page: 'missing' } : { page: 'friends' };
    case 'me':
      return name ? { page: 'missing' } : { page: 'profile', name: null };
    case 'moderation':
      return name ? { page: 'missing' } : { page: 'moderation' };
    case 'groups':
      return name ? { page: 'group', id: name } : { page: 'groups' };
    case 'join':
      return name ? { page: 'join', link: name } : { page: 'missing' };
    case 'notifications':
      return name ? { page: 'missing' } : { page: 'notifications' };
    case 'letters':
      return name ? { page: 'letters', token: name } : { page: 'missing' };
    case 'link':
      return name ? { page: 'link', token: name } : { page: 'missing' };
    case 'players':
      return name ? { page: 'profile', name } : { page: 'missing' };
    default:
      return { page: 'missing' };
  }
}

function safe(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
