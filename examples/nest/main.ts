/** A NestJS application whose photos other programs may read with OAuth. */
import 'reflect-metadata';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CanActivate, Controller, type ExecutionContext, Get, Module, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Authorization } from 'oauth-query';
import { oauthQuery } from 'oauth-query/node';

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);

const oauth = oauthQuery({
  issuer: base,
  secret: 'a secret, for the forms of the consent page',
  clients: [
    {
      client_id: 'printer',
      client_secret: 'printer-secret',
      client_name: 'Photo Printer',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
  ],
  scopes: { 'photos.read': 'See your photos' },
  users: [{ username: 'alice', password: 'wonderland' }],
});

interface AuthorizedRequest extends IncomingMessage {
  auth?: Authorization;
}

/** For `@UseGuards(scope('photos.read'))`. */
const scope = (name: string): CanActivate => {
  const guard = oauth.guard(name);
  return {
    canActivate: async (context: ExecutionContext) => {
      const http = context.switchToHttp();
      const request = http.getRequest<AuthorizedRequest>();
      await guard(request, http.getResponse<ServerResponse>(), (auth) => {
        request.auth = auth;
      });
      return request.auth !== undefined; // Otherwise the error response has been sent.
    },
  };
};

@Controller()
class PhotosController {
  @Get('/')
  hello(): string {
    return 'Hello';
  }

  @Get('/api/photos')
  @UseGuards(scope('photos.read'))
  photos(@Req() { auth }: AuthorizedRequest): object {
    return { photos: PHOTOS.get(auth?.sub ?? '') ?? [] };
  }
}

@Module({ controllers: [PhotosController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.use(oauth);
await app.listen(port, '127.0.0.1');
console.log(`Listening on ${base}`);
