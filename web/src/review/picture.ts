import { pictureUrl, text } from '../server/api';

/** Words of the picture in the reader's language: the game's title, and the players by seat. */
export interface Words {
  title: string;
  names: readonly string[];
}

const ROOM = 170;

/** The approximate width of a text in pixels at this font size; Chinese characters are as wide as high. */
const wide = (words: string, size: number): number =>
  [...words].reduce((sum, letter) => sum + size * (/[\u2e80-\uffef]/.test(letter) ? 1 : 0.55), 0);

/** The server's picture with these words in place of its own. */
export function worded(svg: string, { title, names }: Words): string {
  const page = new DOMParser().parseFromString(svg, 'image/svg+xml');
  for (const one of page.querySelectorAll<SVGTextElement>('[data-word]')) {
    const word = one.dataset.word ?? '';
    const arrow = one.textContent?.startsWith('→ ') ? '→ ' : '';
    one.textContent = word === 'title' ? title : arrow + (names[Number(word)] ?? '');
    one.removeAttribute('textLength');
    if (word !== 'title' && wide(one.textContent, Number(one.getAttribute('font-size'))) > ROOM)
      one.setAttribute('textLength', String(ROOM));
  }
  return new XMLSerializer().serializeToString(page);
}

/** A finished hand as a PNG, drawn from the server's SVG. */
export async function handPicture(hand: string, seq: number | null, words: Words): Promise<Blob> {
  const svg = worded(await text(pictureUrl(hand, seq)), words);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * 2;
  canvas.height = image.naturalHeight * 2;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'));
}

/** Share a picture if the device can, else save it. */
export async function sharePicture(blob: Blob, name: string, url: string): Promise<void> {
  const file = new File([blob], name, { type: 'image/png' });
  if (navigator.canShare?.({ files: [file] }) && matchMedia('(pointer: coarse)').matches) {
    await navigator.share({ files: [file], url }).catch(() => undefined);
    return;
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
