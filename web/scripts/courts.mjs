// Cuts the twelve court figures out of the CC0 card set and makes them small: src/cards/*.svg.
// Usage: npm pack @heruka_urgyen/react-playing-cards, unpack it, then: npm run courts -- package/src/images/4color
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const from = process.argv[2];
if (!from) throw new Error('name the folder with the SVG faces');
const to = fileURLToPath(new URL('../src/cards', import.meta.url));

// The table's own inks instead of the set's pure colours.
const INKS = { black: '#20232b', red: '#c5352f', '#44F': '#33509f', '#FC4': '#ecbc55', green: '#2b7a4b', blue: '#33509f' };

for (const rank of 'JQK') {
  for (const suit of 'DCHS') {
    const name = `${rank}${suit}`;
    let svg = readFileSync(path.join(from, `${name}.svg`), 'utf8');
    svg = svg
      .replace(/<\?xml[^>]*>/, '')
      .replace(/<rect width="239"[^>]*><\/rect>/, '')
      .replace(/<use xlink:href="#[VX][^"]*"[^>]*><\/use>/g, '')
      .replace(/<use xlink:href="#S[^"]*" height="(26.769|55.68)"[^>]*><\/use>/g, '')
      .replace(
        /<svg[^>]*>/,
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="-82.4 -130.4 164.8 260.8">',
      )
      .replace(/<symbol id="V[^"]*".*?<\/symbol>/, '')
      .replace(/<defs>.*?<\/defs>/, '')
      .replace(/(fill|stroke)="([^"]*)"/g, (all, key, ink) => (ink in INKS ? `${key}="${INKS[ink]}"` : all));
    writeFileSync(path.join(to, `${name}.svg`), svg);
  }
}
execFileSync('npx', ['--yes', 'svgo@4', '-q', '--multipass', '-p', '0', '-f', to], { stdio: 'inherit' });
