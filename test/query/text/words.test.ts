import { describe, expect, test } from 'vitest';
import { BREAK, foldText, termsIn } from '../../../src/core/query/text/words.js';
import { everyRow } from '../../rows.js';

/** The terms between spaces, with a visible break. */
const shown = (text: string): string => foldText(text).folded.replaceAll(BREAK, '|');

describe('folding', () => {
  test('what is the same to a search has the same form', () =>
    everyRow(
      [
        ['Zürich ZU\u0308RICH zu\u0308rich', 'zurich zurich zurich'],
        ['Straße STRASSE ẞ', 'strasse strasse ss'],
        ['Łódź Ærø Þór œuvre ħŧđ', 'lodz aero thor oeuvre htd'],
        ['Đà Nẵng Vie\u0323\u0302t', 'da nang viet'],
        ['İstanbul ISTANBUL ıstanbul', 'istanbul istanbul istanbul'],
        ['Donau\u00addampf\u2060schiff', 'donaudampfschiff'],
        ['Ĳsland ﬁn ＮＨＫ', 'ijsland fin nhk'],
        ['ΟΔΟΣ οδός ὁδὸς ᾳ', 'οδοσ οδοσ οδοσ α'],
        ['За\u0301мок ёлка ѐ й ї', 'замок елка е й ї'],
        ['שָׁלוֹם יִידיש', 'שלום יידיש'],
        ['كُتُبٌ أحمد إلى آمن كـتاب', 'كتب احمد الي امن كتاب'],
        ['کتاب خانۀ ہ مكتبة ى', 'كتاب خانه ه مكتبه ي'],
        ['کتاب\u200cها', 'كتاب ها'],
        ['হি\u200cন্দি', 'হিন্দি'],
        ['র\u200d্য', 'র্য'],
        ['हिन्दी हनद', 'हिन्दी हनद'],
        ['٢٠٢٤ ۲۰۲۴ २०२४ ２０２４ ๒๐๒๔', '2024 2024 2024 2024 2024'],
        ['\u{1d7d8}\u{1e950}\u{11f59}', '009'],
        ['ᲗᲑᲘᲚᲘᲡᲘ', 'თბილისი'],
        ['ﷺ', 'صلي الله عليه وسلم'],
        ['½ m² iPhone™', '1 2 m2 iphone'],
      ],
      ([text, expected]) => {
        expect(shown(text)).toBe(expected);
      },
    ));
});

describe('words', () => {
  test('letters of scripts without spaces are terms of their own, and runs that do not touch are apart', () =>
    everyRow(
      [
        ['新iPhone手机壳', '新 iphone 手 机 壳'],
        ['北京，首都', '北 京 | 首 都'],
        ['北京 2020 首都', '北 京 2020 首 都'],
        ['東京都はラーメン〇々', '東 京 都 は ラ ー メ ン 〇 々'],
        ['ﾗｰﾒﾝ ｶﾞ か\u3099 が か', 'ラ ー メ ン | ガ | が | が | か'],
        ['서울 \u1109\u1165\u110b\u116e\u11af ㅋㅋ', '서 울 | 서 울 | ᄏ ᄏ'],
        ['น้ำ นำ นา', 'น้ํ า | นํ า | น า'],
        ['ນະຄອນ', 'ນ ະ ຄ ອ ນ'],
        ['ប្រទេស\u200bកម្ពុជា', 'ប្ រ ទេ ស ក ម្ ពុ ជា'],
        ['ab\u200bcd 北\u200bab', 'ab cd 北 ab'],
        ['𠮷野家', '𠮷 野 家'],
        ['👩\u200d🚀👍🏽 ❤\ufe0f ©', '👩 🚀 👍 ❤'],
        ["don't C++ a-b", 'don t c a b'],
        ['\u0301 .. \u200d', ''],
      ],
      ([text, expected]) => {
        expect(shown(text)).toBe(expected);
      },
    ));

  test('the places of terms are those of the original text, with its marks', () => {
    const text = 'Za\u0308h, ﾗｰ 👩\u200d🚀 und\u00adsoweiter';
    expect(termsIn(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      'Za\u0308h',
      'ﾗ',
      'ｰ',
      '👩\u200d',
      '🚀',
      'und\u00adsoweiter',
    ]);
  });

  test('words are counted as readers do', () =>
    everyRow(
      [
        ['Zürich liegt am See', 4],
        ['Привет мир', 2],
        ['北京是首都。', 5],
        ['カタカナの語', 3],
        ['서울특별시는 수도이다', 2],
        ['กรุงเทพ มหานคร', 2],
        ['हिन्दी भारत', 2],
        ['新iPhone 15', 3],
        ['🌊🌊', 2],
        ['', 0],
      ] as const,
      ([text, count]) => {
        expect(foldText(text).words).toBe(count);
      },
    ));
});

test.each([
  ['one letter', 'a'],
  ['marks', '\u0301'],
  ['marks and letters', 'é\u0323'],
  ['joiners', '\u200d'],
  ['soft hyphens', 'a\u00ad'],
  ['joiners before marks', 'a\u200c\u0301'],
  ['parts of Hangul', '\u1109\u1165'],
  ['half-width marks', 'ｶﾞ'],
  ['gaps', ' \u3000'],
])('the time for a text of %s is linear', (_name, piece) => {
  const time = (size: number): number => {
    const text = piece.repeat(size / piece.length);
    const before = process.cpuUsage();
    termsIn(text);
    return process.cpuUsage(before).user;
  };
  time(10_000);
  expect(time(400_000)).toBeLessThan(Math.max(40 * time(40_000), 500_000));
});
