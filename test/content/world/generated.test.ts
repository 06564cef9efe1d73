import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { everyRow } from '../../rows.js';
import { type Answer, sourcesOf, type WorldPage, worldServer } from './sites.js';

/** Words of each script that are looked for, and as many that are not there. */
const WORDS = Number(process.env['WORDS'] ?? 5);

/**
 * Letters of a script, what stands between its words (nothing in scripts without spaces), and a letter that is in no text, for scripts of which
 * several letters are the same to a search.
 */
const SCRIPTS: readonly (readonly [name: string, letters: string, between: string, absent?: string])[] = [
  ['Latin', 'abdegiklmnorstuvzäöüßéèñçåøłđščžğşőű', ' ', 'w'],
  ['Greek', 'αβγδεζηθικλμνξοπρστυφχωάέήίόύώΆ', ' ', 'ψ'],
  ['Cyrillic', 'абвгдежзийклмнопрстуфхцчшщыэюяёїєѓ', ' ', 'ћ'],
  ['Armenian', 'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ', ' '],
  ['Georgian', 'აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ', ' '],
  ['Hebrew', 'אבגדהוזחטיכלמנסעפצקרשת', ' '],
  ['Arabic', 'ابتثجحخدذرزسشصضطظعغفقكلمنهويآأإئؤة', ' ', 'ژ'],
  ['Ethiopic', 'ሀለሐመሠረሰሸቀበተቸነኘአከወዘየደገጠጨጰፀፈፐ', ' '],
  ['Devanagari', 'क,ख,ग,घ,च,छ,ज,ट,ड,त,द,न,प,ब,भ,म,य,र,ल,व,श,स,ह,कि,की,कु,को,क्,हिं', ' '],
  ['Bengali', 'ক,খ,গ,চ,জ,ট,ড,ত,দ,ন,প,ব,ম,য,র,ল,শ,স,হ,কি,কী,কু,কো,ক্,বাং', ' '],
  ['Tamil', 'க,ங,ச,ஞ,ட,ண,த,ந,ப,ம,ய,ர,ல,வ,ழ,ள,ன,கா,கி,கீ,கு,கூ,கை,க்', ' '],
  ['Tibetan', 'ཀ,ཁ,ག,ང,ཅ,ཆ,ཇ,ཏ,ད,ན,པ,བ,མ,ཙ,ཞ,ཟ,ཡ,ར,ལ,ས,ཧ,ཀི,ཀུ,ཀེ,ཀོ', ' '],
  ['Han', '北京是中华人民共和国的首都位于平原上海大城市长江口𠮷𠀋', ''],
  ['Hiragana', 'あいうえおかきくけこさしすせそたちつてとなにぬねのがぎぐ', ''],
  ['Katakana', 'アイウエオカキクケコサシスセソタチツテトナニヌネノガギグー', ''],
  ['Hangul', '서울특별시는대한민국의수도이다부산광역바를본에', ''],
  ['Thai', 'ก,ข,ค,ง,จ,ช,ด,ต,ท,น,บ,ป,ม,ย,ร,ล,ว,ส,ห,อ,เ,แ,ไ,า,กี,มื,น้,ปี่,ทุ', ''],
  ['Lao', 'ກ,ຂ,ຄ,ງ,ຈ,ຊ,ຍ,ດ,ຕ,ທ,ນ,ບ,ປ,ມ,ຢ,ລ,ວ,ສ,ຫ,ອ,ເ,ແ,າ,ກີ,ມື,ນ້', ''],
  ['Khmer', 'ក,ខ,គ,ង,ច,ជ,ញ,ត,ទ,ន,ប,ព,ម,យ,រ,ល,វ,ស,ហ,អ,កា,ទេ,ពុ,ប្,ភ្', ''],
  ['Myanmar', 'က,ခ,ဂ,င,စ,ဆ,ည,တ,ထ,ဒ,န,ပ,ဖ,ဘ,မ,ယ,ရ,လ,ဝ,သ,ဟ,အ,ကာ,မြို့,ရန်', ''],
];

/** Numbers that look random, and are always the same. */
const generator = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const folder = mkdtempSync(join(tmpdir(), 'oauth-query-generated-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A text as its pieces between punctuation, each of words or of letters. */
interface Sample {
  readonly script: string;
  readonly title: string;
  readonly text: string;
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

const sampleOf = ([script, letters, between, other]: (typeof SCRIPTS)[number]): Sample => {
  const random = generator(script.length * 7_919 + letters.length);
  const all = letters.includes(',') ? letters.split(',') : [...letters];
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const word = (least: number): readonly string[] => Array.from({ length: least + random(6) }, () => pick(all));
  const pieces = Array.from({ length: 20 }, () => Array.from({ length: 10 }, () => word(2)));
  const stop = between === '' ? '，' : '. ';
  const text = pieces.map((words) => words.map((one) => one.join('')).join(between)).join(stop);
  const cut = (): string => {
    const words = pick(pieces);
    if (between !== '') return pick(words).join('');
    const run = words.flat();
    const start = random(run.length);
    return run.slice(start, start + 1 + random(8)).join('');
  };
  const known = new Set(pieces.flat().map((one) => one.join('')));
  const isThere = (one: string): boolean => (between === '' ? text.includes(one) : known.has(one));
  const invented = (): string => {
    for (;;) {
      const one = word(2).join('') + (other ?? '');
      if (!isThere(one)) return one;
    }
  };
  return {
    ...{ script, text, title: `Sample ${script}` },
    present: Array.from({ length: WORDS }, cut),
    absent: Array.from({ length: WORDS }, invented),
  };
};

const SAMPLES = SCRIPTS.map(sampleOf);

test.each(['export', 'memory', 'folder'] as const)(
  '%s: words that are cut out of texts in twenty scripts are found, and others are not',
  async (name) => {
    const pages: readonly WorldPage[] = SAMPLES.map(({ title, text }) => [title, text]);
    const { api } = worldServer(await sourcesOf(folder)[name]('en', pages));
    const search = async (srsearch: string): Promise<readonly string[]> => {
      const { query } = await api({ action: 'query', list: 'search', srsearch, srlimit: 'max', srprop: '' });
      return query.search.map(({ title }: Answer) => title);
    };
    await everyRow(
      SAMPLES.flatMap(({ title, present }) => present.map((word) => [title, word] as const)),
      async ([title, word]) => {
        expect(await search(word)).toContain(title);
      },
    );
    await everyRow(
      SAMPLES.flatMap(({ absent }) => absent),
      async (word) => {
        expect(await search(word)).toEqual([]);
      },
    );
  },
);
