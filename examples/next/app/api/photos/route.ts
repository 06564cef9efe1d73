import { oauth } from '../../../oauth.js';

const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);
const guard = oauth.guard('photos.read');

export const GET = async (request: Request): Promise<Response> => {
  const auth = await guard(request);
  return auth instanceof Response ? auth : Response.json({ photos: PHOTOS.get(auth.sub) ?? [] });
};
