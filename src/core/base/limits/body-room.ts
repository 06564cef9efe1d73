import type { HttpRequest, TakeRoom } from '../http/messages.js';
import { type LimitAt, sourceOf } from './source.js';

/** Bytes that this process holds of bodies whose requests are not answered yet. */
const ROOM = 67_108_864;

/** Of these, the bytes for one address, so that a single caller cannot take the room of all. */
const SHARE = ROOM / 4;

/** Bytes that a part takes beyond its own, however short it is. */
const PART = 256;

/** Bytes held for each source. */
const held = new Map<string, number>();
let total = 0;

/** Gives back the room of a request. */
const leaving = new WeakMap<HttpRequest, () => void>();

/** The room of bodies, counted as they arrive, until {@link leaveRoom}. What a request holds is never given up for another one. */
export const roomWith =
  (limitAt: LimitAt) =>
  (request: HttpRequest): TakeRoom => {
    const { ip } = request;
    const source = sourceOf(ip);
    const share = Math.min(limitAt(ip, SHARE), ROOM);
    let own = 0;
    let isClosed = false;
    const add = (bytes: number): void => {
      own += bytes;
      total += bytes;
      const ofSource = (held.get(source) ?? 0) + bytes;
      if (ofSource > 0) held.set(source, ofSource);
      else held.delete(source);
    };
    const leave = (): void => {
      isClosed = true;
      add(-own);
    };
    leaving.set(request, leave);
    return (bytes) => {
      if (isClosed) return false;
      const size = bytes + PART;
      if (total + size > ROOM || (held.get(source) ?? 0) + size > share) {
        leave();
        return false;
      }
      add(size);
      return true;
    };
  };

/** Gives back the room of a request that was answered, or whose client has gone. What still arrives of its body is not kept. */
export const leaveRoom = (request: HttpRequest): void => {
  leaving.get(request)?.();
  leaving.delete(request);
};
