import { oauth } from '../../../oauth.js';

const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);
export const GET = async (request: Request): Promise<Response> => {
  const { guard } = await oauth();
  return guard('photos.read')(request, ({ sub }) => Response.json({ photos: PHOTOS.get(sub) ?? [] }));
};
