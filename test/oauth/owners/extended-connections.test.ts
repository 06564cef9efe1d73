import { memoryStore } from 'oauth-query/stores/memory';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import { describe } from 'vitest';
import { describeEngine } from '../../stores/engines/availability.js';
import { noSqlite } from '../../stores/engines/sqlite.js';
import { extendedConnectionCases } from '../support/extended-connections.js';

describe('an owner who came back, in memory', () => {
  extendedConnectionCases(async (clock) => memoryStore({ clock }));
});

describeEngine('an owner who came back, in SQLite', noSqlite, () => {
  extendedConnectionCases(async (clock) => sqliteStore({ file: ':memory:', clock, clearEvery: false }));
});
