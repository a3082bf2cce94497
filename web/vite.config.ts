import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const server = process.env.DASAN_SERVER ?? 'http://127.0.0.1:8000';

/** Writes files.json: the address of every file that the build has made, for the service worker. */
const files: Plugin = {
  name: 'files',
  generateBundle(_, bundle) {
    const source = JSON.stringify(Object.keys(bundle).map((name) => `/${name}`));
    this.emitFile({ type: 'asset', fileName: 'files.json', source });
  },
};

export default defineConfig({
  plugins: [svelte(), files],
  build: {
    outDir: '../src/dasan/server/static',
    emptyOutDir: true,
    target: 'es2022',
  },
  server: {
    proxy: {
      '/api': server,
      '/ws': { target: server, ws: true },
    },
  },
  test: { include: ['src/**/*.test.ts'], css: { include: /app\.css/ } },
});
