import { prefs } from './prefs.svelte';

export type Cue = 'deal' | 'play' | 'bomb' | 'rocket' | 'pass' | 'turn' | 'win' | 'lose' | 'message';

let context: AudioContext | null = null;

/** One tone of `frequency` hertz that begins after `at` seconds and fades over `length`. */
function tone(audio: AudioContext, frequency: number, at: number, length: number, loudness: number): void {
  const [oscillator, gain] = [audio.createOscillator(), audio.createGain()];
  const start = audio.currentTime + at;
  oscillator.type = 'triangle';
  oscillator.frequency.value = frequency;
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loudness, start + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}

/** A card on cloth: a short burst of filtered noise. */
function card(audio: AudioContext, at: number, pitch: number, loudness: number): void {
  const length = 0.07;
  const buffer = audio.createBuffer(1, Math.ceil(audio.sampleRate * length), audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / samples.length) ** 3;
  const [source, filter, gain] = [audio.createBufferSource(), audio.createBiquadFilter(), audio.createGain()];
  source.buffer = buffer;
  filter.type = 'bandpass';
  filter.frequency.value = pitch;
  gain.gain.value = loudness;
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(audio.currentTime + at);
}

const CUES: Record<Cue, (audio: AudioContext) => void> = {
  deal: (audio) => {
    for (const at of [0, 0.09, 0.18, 0.27, 0.36]) card(audio, at, 2600, 0.35);
  },
  play: (audio) => card(audio, 0, 1500, 0.7),
  bomb: (audio) => {
    card(audio, 0, 1500, 0.7);
    for (const at of [0.03, 0.07, 0.12, 0.18, 0.26]) card(audio, at, 420 - 1000 * at, 1 - 2.5 * at);
    tone(audio, 65, 0.03, 0.5, 0.2);
  },
  rocket: (audio) => {
    for (const [i, f] of [330, 440, 587, 784, 1047].entries()) tone(audio, f, i * 0.05, 0.12, 0.06);
    for (const at of [0.28, 0.33, 0.4, 0.5]) card(audio, at, 900 - 1100 * at, 0.8 - at);
  },
  pass: (audio) => tone(audio, 196, 0, 0.14, 0.06),
  turn: (audio) => {
    tone(audio, 587, 0, 0.22, 0.08);
    tone(audio, 880, 0.1, 0.3, 0.07);
  },
  win: (audio) => {
    for (const [i, f] of [523, 659, 784, 1047].entries()) tone(audio, f, i * 0.11, 0.45, 0.09);
  },
  lose: (audio) => {
    for (const [i, f] of [392, 330, 262].entries()) tone(audio, f, i * 0.16, 0.4, 0.07);
  },
  message: (audio) => tone(audio, 1175, 0, 0.15, 0.05),
};

const SHAKES: Partial<Record<Cue, number | number[]>> = {
  turn: 30,
  win: [30, 40, 60],
  play: 12,
  bomb: [50, 30, 90],
  rocket: [20, 20, 20, 20, 120],
};

/** Play a sound and vibrate, as the player's settings allow; browsers permit it after the first touch. */
export function cue(name: Cue): void {
  if (prefs.haptics && !prefs.reduced && SHAKES[name] && navigator.userActivation?.hasBeenActive)
    navigator.vibrate?.(SHAKES[name]);
  if (!prefs.sound || !navigator.userActivation?.hasBeenActive) return;
  try {
    context ??= new AudioContext();
    if (context.state === 'suspended') void context.resume();
    CUES[name](context);
  } catch {
    // No sound device: the table is silent.
  }
}
