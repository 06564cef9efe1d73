import type { BodyRoom, HttpRequest } from '../http/messages.js';
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

/** The part of the room that a request has taken. */
class Place implements BodyRoom {
  giveUp?: () => boolean;
  readonly #source: string;
  readonly #share: number;
  #own = 0;
  #isClosed = false;

  constructor(source: string, share: number) {
    this.#source = source;
    this.#share = share;
  }

  take(bytes: number): boolean {
    if (this.#isClosed) return false;
    const size = bytes + PART;
    if (total + size > ROOM || (held.get(this.#source) ?? 0) + size > this.#share) {
      this.leave();
      return false;
    }
    this.#add(size);
    return true;
  }

  /** Gives it back. Nothing is taken afterwards. */
  leave(): void {
    this.#isClosed = true;
    this.#add(-this.#own);
  }

  #add(bytes: number): void {
    this.#own += bytes;
    total += bytes;
    const ofSource = (held.get(this.#source) ?? 0) + bytes;
    if (ofSource > 0) held.set(this.#source, ofSource);
    else held.delete(this.#source);
  }
}

const places = new WeakMap<HttpRequest, Place>();

/** The room of bodies, counted as they arrive, until {@link leaveRoom}. What a request holds is never given up for another one. */
export const roomWith =
  (limitAt: LimitAt) =>
  (request: HttpRequest): BodyRoom => {
    const { ip } = request;
    const place = new Place(sourceOf(ip), Math.min(limitAt(ip, SHARE), ROOM));
    places.set(request, place);
    return place;
  };

/** Gives up a body that is being read and has not arrived. Returns whether there is one. */
export const giveUpBody = (request: HttpRequest): boolean => places.get(request)?.giveUp?.() ?? false;

/** Gives back the room of a request that was answered, or whose client has gone. What still arrives of its body is not kept. */
export const leaveRoom = (request: HttpRequest): void => {
  places.get(request)?.leave();
  places.delete(request);
};
