export type Route = { page: 'start' } | { page: 'table'; id: string } | { page: 'missing' };

/** Which page a path names. */
export function parse(path: string): Route {
  if (path === '/' || path === '/index.html') return { page: 'start' };
  const id = /^\/t\/([^/]+)\/?$/.exec(path)?.[1];
  return id ? { page: 'table', id: decodeURIComponent(id) } : { page: 'missing' };
}
