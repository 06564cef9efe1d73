import { expect, test } from 'vitest';
import { everyRow } from '../rows.js';
import { problemsOf } from './answers.js';

test('a difference from the document is reported', () =>
  everyRow(
    [
      ['json', '{"a": 1}', '{"a":2}'],
      ['json', '{"a": 1}', '{"a":1,"b":1}'],
      ['json', '{"a": 1, "b": 1}', '{"a":1}'],
      ['json', '{"a": "x…"}', '{"a":"y"}'],
      ['json', '{"a": [1]}', '{"a":[1,2]}'],
      ['json', '{"expires_in": 3600}', '{"expires_in":1800}'],
      ['json', '{"a": 1}', 'Not Found'],
      ['text', 'first\nsecond', 'second\nfirst'],
      ['http', 'HTTP/1.1 200 OK', 'HTTP/1.1 401 Unauthorized\r\n\r\n'],
      ['http', 'HTTP/1.1 200 OK\nCache-Control: no-store', 'HTTP/1.1 200 OK\r\nCache-Control: private\r\n\r\n'],
      ['http', 'HTTP/1.1 200 OK\n\n{"ok": true}', 'HTTP/1.1 200 OK\r\n\r\n{"ok":false}'],
    ],
    ([lang, promised, real]) => {
      expect(problemsOf(lang, promised, real)).not.toEqual([]);
    },
  ));
