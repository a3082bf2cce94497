import { parse, type Route } from './paths';

class Router {
  route = $state.raw<Route>(parse(location.pathname));
  /** Whether the visitor has gone from one page to another. */
  moved = false;

  constructor() {
    window.addEventListener('popstate', () => this.read());
  }

  go(path: string): void {
    history.pushState(null, '', path);
    window.scrollTo(0, 0);
    this.read();
  }

  /** For the click handler of a link: leaves modified clicks to the browser. */
  follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const { pathname, search } = event.currentTarget as HTMLAnchorElement;
    this.go(pathname + search);
  };

  private read(): void {
    this.moved = true;
    this.route = parse(location.pathname);
  }
}

export const router = new Router();
