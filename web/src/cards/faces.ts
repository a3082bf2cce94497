import JC from './JC.svg';
import JD from './JD.svg';
import JH from './JH.svg';
import JS from './JS.svg';
import KC from './KC.svg';
import KD from './KD.svg';
import KH from './KH.svg';
import KS from './KS.svg';
import QC from './QC.svg';
import QD from './QD.svg';
import QH from './QH.svg';
import QS from './QS.svg';

/** Where the court figures are; see ../cards/NOTICE.md. */
export const COURTS: Record<string, string> = { JC, JD, JH, JS, KC, KD, KH, KS, QC, QD, QH, QS };

/** Outlines about (0, 0), 1000 high. */
export const SUIT_PATHS: Record<string, string> = {
  S: 'M0-500C100-250 355-100 355 185A150 150 0 0 1 55 185A10 10 0 0 0 35 185C35 385 85 400 130 500L-130 500C-85 400-35 385-35 185A10 10 0 0 0-55 185A150 150 0 0 1-355 185C-355-100-100-250 0-500Z',
  H: 'M0-300C0-400 100-500 200-500C300-500 400-400 400-250C400 0 0 400 0 500C0 400-400 0-400-250C-400-400-300-500-200-500C-100-500 0-400 0-300Z',
  D: 'M-400 0C-350 0 0-450 0-500C0-450 350 0 400 0C350 0 0 450 0 500C0 450-350 0-400 0Z',
  C: 'M30 150C35 385 85 400 130 500L-130 500C-85 400-35 385-30 150A10 10 0 0 0-50 150A210 210 0 1 1-124-51A10 10 0 0 0-110-65A230 230 0 1 1 110-65A10 10 0 0 0 124-51A210 210 0 1 1 50 150A10 10 0 0 0 30 150Z',
};

/** Strokes about (0, 0), 920 high. */
export const RANK_PATHS: Record<string, string> = {
  A: 'M-270 460L-110 460M-200 450L0-460L200 450M110 460L270 460M-120 130L120 130',
  '2': 'M-225-225C-245-265-200-460 0-460C200-460 225-325 225-225C225-25-225 160-225 460L225 460L225 300',
  '3': 'M-250-320L-250-460L200-460L-110-80C-100-90-50-120 0-120C200-120 250 0 250 150C250 350 170 460-30 460C-230 460-260 300-260 300',
  '4': 'M50 460L250 460M150 460L150-460L-300 175L-300 200L270 200',
  '5': 'M170-460L-175-460L-210-115C-210-115-200-200 0-200C100-200 255-80 255 120C255 320 180 460-20 460C-220 460-255 285-255 285',
  '6': 'M-250 100A250 250 0 0 1 250 100L250 210A250 250 0 0 1-250 210L-250-210A250 250 0 0 1 0-460C150-460 180-400 200-375',
  '7': 'M-265-320L-265-460L265-460C135-200-90 100-90 460',
  '8': 'M-1-50A205 205 0 1 1 1-50L-1-50A255 255 0 1 0 1-50Z',
  '9': 'M250-100A250 250 0 0 1-250-100L-250-210A250 250 0 0 1 250-210L250 210A250 250 0 0 1 0 460C-150 460-180 400-200 375',
  T: 'M-260 430L-260-430M-50 0L-50-310A150 150 0 0 1 250-310L250 310A150 150 0 0 1-50 310Z',
  J: 'M50-460L250-460M150-460L150 250A100 100 0 0 1-250 250L-250 220',
  Q: 'M-260 100C40 100-40 460 260 460M-175 0L-175-285A175 175 0 0 1 175-285L175 285A175 175 0 0 1-175 285Z',
  K: 'M-285-460L-85-460M-185-460L-185 460M-285 460L-85 460M85-460L285-460M185-440L-170 155M85 460L285 460M185 440L-10-70',
};

const L = 87;
const M = 120;
const R = 153;
const [TOP, BOTTOM] = [66, 270];
const MIDDLE = (TOP + BOTTOM) / 2;
const THIRD = (BOTTOM - TOP) / 3;
const sides = (...ys: number[]): [number, number][] =>
  ys.flatMap(
    (y) =>
      [
        [L, y],
        [R, y],
      ] as [number, number][],
  );

/** Where the pips of a number card lie on the 240 × 336 face. */
export const PIPS: Record<string, [number, number][]> = {
  '2': [
    [M, TOP],
    [M, BOTTOM],
  ],
  '3': [
    [M, TOP],
    [M, MIDDLE],
    [M, BOTTOM],
  ],
  '4': sides(TOP, BOTTOM),
  '5': [...sides(TOP, BOTTOM), [M, MIDDLE]],
  '6': sides(TOP, MIDDLE, BOTTOM),
  '7': [...sides(TOP, MIDDLE, BOTTOM), [M, (TOP + MIDDLE) / 2]],
  '8': [...sides(TOP, MIDDLE, BOTTOM), [M, (TOP + MIDDLE) / 2], [M, (MIDDLE + BOTTOM) / 2]],
  '9': [...sides(TOP, TOP + THIRD, BOTTOM - THIRD, BOTTOM), [M, MIDDLE]],
  T: [...sides(TOP, TOP + THIRD, BOTTOM - THIRD, BOTTOM), [M, TOP + THIRD / 2], [M, BOTTOM - THIRD / 2]],
};

/** The joker's cap about (0, 0), about 1000 wide: three horns, and a bell on each. */
export const CAP = {
  left: 'M-300 260C-330 60-300-110-430-190C-520-240-610-180-640-90C-560-120-520-60-540 40C-560 140-500 230-300 260Z',
  right: 'M300 260C330 60 300-110 430-190C520-240 610-180 640-90C560-120 520-60 540 40C560 140 500 230 300 260Z',
  middle: 'M-300 260C-330 0-190-330 0-470C190-330 330 0 300 260C120 210-120 210-300 260Z',
  band: 'M-330 250C-120 195 120 195 330 250L315 350C110 300-110 300-315 350Z',
  bells: [
    [0, -520],
    [-640, -30],
    [640, -30],
  ] as [number, number][],
};
