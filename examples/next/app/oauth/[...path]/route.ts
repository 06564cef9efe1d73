import { oauth } from '../../../oauth.js';

const handler = async (request: Request): Promise<Response> => (await oauth()).handler(request);

export { handler as GET, handler as HEAD, handler as OPTIONS, handler as POST };
export { handler as DELETE, handler as PATCH, handler as PUT };
