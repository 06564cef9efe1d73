import { oauth } from '../../../oauth.js';

const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);
const guard = oauth.guard('photos.read');

export const GET = (request: Request): Promise<Response> =>
  guard(request, ({ sub }) => Response.json({ photos: PHOTOS.get(sub) ?? [] }));
