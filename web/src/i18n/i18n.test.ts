import { afterEach, describe, expect, it, vi } from 'vitest';
import en from './en.json';
import fr from './fr.json';
import hans from './zh-Hans.json';
import hant from './zh-Hant.json';
import lessonsEn from '../lessons/text/en.json';
import lessonsFr from '../lessons/text/fr.json';
import lessonsHans from '../lessons/text/zh-Hans.json';
import lessonsHant from '../lessons/text/zh-Hant.json';
import { advised } from '../game/advice';
import { choose, dated, format, locale, prose, typeset, use } from './i18n.svelte';
import { called } from '../moderation/names';
import { refusalText } from '../server/refusal';
import { choiceName, personName } from './words';

type Message = string | Record<string, string>;
const texts = (message: Message): string[] => (typeof message === 'string' ? [message] : Object.values(message));
const holes = (message: Message): string =>
  [...new Set(texts(message).flatMap((text) => text.match(/\{\w+\}/g) ?? []))].sort().join();

/** Whether the English comes from the server: the help of options, the summaries of games, and what bots do. */
const ofTheServer = (key: string): boolean => /^(help|about)\.|^bot\..+\.about$/.test(key);

describe('catalogues', () => {
  for (const [name, catalogue] of Object.entries({ fr, hans, hant }) as [string, Record<string, Message>][]) {
    it(`${name} says everything that English says`, () => {
      expect(Object.keys(catalogue).filter((key) => !ofTheServer(key))).toEqual(Object.keys(en));
    });
    it(`${name} has the same holes`, () => {
      // A refusal need not repeat every value of the English sentence, but can have no others.
      const fits = (key: string, text: Message): boolean =>
        holes(catalogue[key] ?? '') === holes(text) ||
        (key.startsWith('refusal.') &&
          holes(catalogue[key] ?? '')
            .split(',')
            .every((hole) => holes(text).includes(hole)));
      const odd = Object.entries(en as Record<string, Message>).filter(([key, text]) => !fits(key, text));
      expect(odd.map(([key]) => key)).toEqual([]);
    });
  }
});

it('stays in the language chosen last, whichever catalogue arrives last', async () => {
  vi.stubGlobal('document', { documentElement: {} });
  const late = use('fr');
  await use('en');
  await late;
  expect(locale()).toBe('en');
});

describe('lessons', () => {
  const lessons = import.meta.glob<{ default: { preset: string; steps: { coach: string | null }[] } }>('../lessons/*.json', {
    eager: true,
  });
  for (const [name, texts] of Object.entries({ en: lessonsEn, fr: lessonsFr, hans: lessonsHans, hant: lessonsHant })) {
    it(`have a text a step in ${name}`, () => {
      for (const { default: lesson } of Object.values(lessons)) {
        expect([lesson.preset, (texts as Record<string, string[]>)[lesson.preset]?.length]).toEqual([
          lesson.preset,
          lesson.steps.filter((step) => step.coach === null).length,
        ]);
      }
    });
  }
});

describe('refusals', () => {
  const refusal = { code: 'illegal', clause: 'B3.15', message: 'as the server says it' } as const;
  it('are worded by the catalogue, with the values in them', () => {
    const values = { cards: '8H', theirs: 'TD', kind: 'single', other: 'triplet' };
    expect(refusalText({ ...refusal, wording: { id: 'kind', values } })).toBe(
      '8♥ does not beat 10♦: it takes a single, not a triplet',
    );
    expect(refusalText({ ...refusal, wording: { id: 'joker', values: { cards: '3C BJ RJ' } } })).toBe(
      '3♣ black joker, red joker is not a combination: a joker cannot be part of it',
    );
  });
  it('that this page does not know yet are shown as the server says them', () => {
    expect(refusalText({ ...refusal, wording: { id: 'brand-new', values: {} } })).toBe('As the server says it');
    expect(refusalText({ ...refusal, wording: null })).toBe(en['refusal.other']);
  });
});

describe('texts', () => {
  it('keep French signs on the line of their word', () => {
    expect(format('« Oui », dit {name} : 3 % ; vrai ?', { name: 'A : B' }, 'fr')).toBe(
      '«\u00a0Oui\u00a0», dit A : B\u00a0: 3\u00a0%\u00a0; vrai\u00a0?',
    );
    expect(format('Yes : {name}', { name: 'A' }, 'en')).toBe('Yes : A');
  });
  it('of a clause have the apostrophes of the catalogue', () => {
    expect(typeset("a player's words")).toBe('a player’s words');
  });
  it('write a minus, not a hyphen', () => {
    for (const tag of ['en', 'fr', 'zh-Hans']) expect(format('{value}', { value: -2 }, tag)).toBe('−2');
  });
  it('keep a name written from right to left apart from the figures beside it', () => {
    expect(format('{name} bids {bid}', { name: 'محمد', bid: 2 }, 'en')).toBe('\u2068محمد\u2069 bids 2');
    expect(format('{name} bids {bid}', { name: 'Ada', bid: 2 }, 'en')).toBe('Ada bids 2');
  });
  it('are filled', () => {
    expect(format('{name} bids {n}', { name: 'Ada', n: 2 }, 'en')).toBe('Ada bids 2');
    expect(format('{unknown}', {}, 'en')).toBe('{unknown}');
  });
  it('have plurals', () => {
    const message = { one: '{n} card', other: '{n} cards' };
    expect(format(message, { n: 1 }, 'en')).toBe('1 card');
    expect(format(message, { n: 12 }, 'en')).toBe('12 cards');
    expect(format({ other: '{n} 张' }, { n: 1 }, 'zh-Hans')).toBe('1 张');
    const played = [0, 1, 2].map((n) => format(fr['duplicate.progress'], { n, deals: 8 }, 'fr'));
    expect(played).toEqual(['0 donne jouée sur 8', '1 donne jouée sur 8', '2 donnes jouées sur 8']);
  });
  it('leave the colon to the language', () => {
    const parts = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });
    expect(Object.keys(parts).length).toBeGreaterThan(50);
    expect(Object.keys(parts).filter((path) => /\)\}: /.test(parts[path] ?? ''))).toEqual([]);
  });
  it('leave the space between sentences to the language', async () => {
    const parts = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });
    const twice = /\{t\((?:[^{}]|\{[^{}]*\})*\)\}\s+\{(?:t|maybe)\(/;
    expect(Object.keys(parts).filter((path) => twice.test(parts[path] ?? ''))).toEqual([]);
    expect(prose('Right.', null, 'Go on.')).toBe('Right. Go on.');
    vi.stubGlobal('document', { documentElement: {} });
    await use('zh-Hans');
    expect(prose('对。', '继续。')).toBe('对。继续。');
    await use('en');
  });
  it('of a bot name who sits in a seat', () => {
    const reason = { id: 'leaves-ally.one', values: { seat: 2, cards: 1 }, text: 'as the server says it' };
    expect(advised(reason, ['You', 'Kai', 'Dai'])).toBe('It leaves the trick to your ally Dai, who holds 1 card.');
  });
  it('of a bot have the grammar of their language', async () => {
    vi.stubGlobal('document', { documentElement: {} });
    const reason = { id: 'keeps-top', values: { held: 2, rank: '2' }, text: 'as the server says it' };
    expect(advised(reason, [])).toBe('It keeps your 2 highest cards (2s).');
    await use('fr');
    expect(advised(reason, [])).toBe('Il garde vos 2 plus fortes cartes (2).');
    await use('en');
  });
  it('call guests what the reader calls them, and people by their names', () => {
    expect(personName('Guest 2')).toBe(`${en['join.name.guest']} 2`);
    expect(personName('Guest')).toBe(en['join.name.guest']);
    expect(personName('Former player')).toBe(en['seat.former']);
    expect(personName('Guest of honour')).toBe('Guest of honour');
  });
  it('name a number that stands for none', () => {
    expect([choiceName('doubling_cap', 0), choiceName('doubling_cap', 3), choiceName('stake_chips', 0)]).toEqual([
      'No limit',
      '3',
      'None',
    ]);
  });
  it('call guests and deleted players so everywhere', async () => {
    vi.stubGlobal('document', { documentElement: {} });
    await use('fr');
    try {
      const wording = { id: 'not-ready', values: { name: 'Guest 2' } };
      const refusal = { code: 'illegal', clause: null, message: 'Guest 2 is not ready yet', wording } as const;
      expect(refusalText(refusal)).toBe('Invité 2 n’est pas encore prêt');
      expect(called({ id: 'abcdefgh', name: 'Guest 3', account: false })).toBe('Invité 3');
      expect(called({ id: 'abcdefgh', name: '', account: false })).toBe('Invité abcdef');
      expect(personName('Former player')).toBe('Ancien joueur');
    } finally {
      await use('en');
      vi.unstubAllGlobals();
    }
  });
  it('of French call a rank and a kind what the rules call them, and never say that a guard keeps the card', () => {
    const ofCards = Object.entries(fr as Record<string, Message>).filter(([key]) =>
      /^(choice|help|over|table|tools)\./.test(key),
    );
    const said = [...Object.values(lessonsFr).flat(), ...ofCards.flatMap(([, text]) => texts(text))];
    expect(said.filter((text) => /valeur|hauteur|\bgenre|\bgardé la/i.test(text))).toEqual([]);
  });
  it('of Chinese name a role by one word, repent nothing (悔过), and say of which hand the first out leads', () => {
    for (const [catalogue, other, winner] of [
      [hans, /庄家|悔过/, '赢家'],
      [hant, /莊家|悔過/, '贏家'],
    ] as const) {
      const odd = Object.entries(catalogue).filter(([, text]) => texts(text).some((one) => other.test(one)));
      expect(odd).toEqual([]);
      // Winner's first out is its Winner, 上游; Big Two's is not.
      expect(catalogue['choice.winner']).not.toContain(winner);
    }
  });
  it('that Dou Dizhu shows call its bidder the landlord', () => {
    // Options and calls are Big Three’s, the solver judges only its bids, and a filter is of every game.
    const others = /^(about|option|help|choice|bidding|task)\.|^(over\.sides|event\.partner|review\.bid$|profile\.role\.bidder$)/;
    for (const catalogue of [en, fr, hans, hant] as Record<string, Message>[]) {
      const keys = Object.keys(catalogue);
      const named = keys.filter((key) => texts(catalogue[key] ?? '').some((one) => /bidder|preneur|坑主/i.test(one)));
      expect(named.filter((key) => !others.test(key) && !(`${key}.dou-dizhu` in catalogue))).toEqual([]);
      expect(named.filter((key) => key.endsWith('.dou-dizhu'))).toEqual([]);
    }
  });
  it('are in a language the reader knows', () => {
    expect(choose(['de-DE', 'fr-CA'])).toBe('fr');
    expect(choose(['zh-TW'])).toBe('zh-Hant');
    expect(choose(['zh-CN'])).toBe('zh-Hans');
    expect(choose(['zh-Hant-SG'])).toBe('zh-Hant');
    expect(choose(['pt'])).toBe('en');
    expect(choose(['en-US@posix', 'fr'])).toBe('fr');
  });
});

describe('a browser', () => {
  afterEach(() => vi.unstubAllGlobals());
  it('may name what is no language', () => {
    vi.stubGlobal('navigator', { languages: ['en-US@posix', 'de', 'en-GB', '?'] });
    expect(dated('2026-03-01T12:00:00Z', null)).toBe('1 Mar 2026');
    vi.stubGlobal('navigator', { languages: ['en-US@posix'] });
    expect(dated('2026-03-01T12:00:00Z', null)).toBe('Mar 1, 2026');
  });
  it('shows English if the catalogue of its language cannot be loaded', async () => {
    vi.resetModules();
    vi.doMock('./fr.json', () => Promise.reject(new TypeError('404')));
    vi.stubGlobal('navigator', { languages: ['fr-FR'] });
    vi.stubGlobal('document', { documentElement: {} });
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
    const { locale, start } = await import('./i18n.svelte');
    await start();
    expect(locale()).toBe('en');
  });
});
