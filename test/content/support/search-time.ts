import { afterAll, beforeAll, vi } from 'vitest';

/** The search in SQLite ends when its processor time is spent, which comes early on a busy machine. During this suite no time passes. */
export const searchWithoutEnd = (): void => {
  beforeAll(() => void vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 }));
  afterAll(() => void vi.restoreAllMocks());
};
