/** A NestJS application whose photos other programs may read with OAuth. */
import 'reflect-metadata';
import { Controller, Get, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type AuthorizedRequest, OAUTH, OAuthQueryModule, RequireScope } from './oauth-query.module.js';

const port = Number(process.env['PORT'] ?? 3000);
const base = `http://127.0.0.1:${port}`;
const PHOTOS = new Map([['alice', ['rabbit.jpg', 'tea-party.jpg']]]);

const oauth = OAuthQueryModule.forRoot({
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

@Controller()
class PhotosController {
  @Get('/')
  hello(): string {
    return 'Hello';
  }

  @Get('/api/photos')
  @RequireScope('photos.read')
  photos(@Req() { auth }: AuthorizedRequest): object {
    return { photos: PHOTOS.get(auth?.sub ?? '') ?? [] };
  }
}

@Module({ imports: [oauth], controllers: [PhotosController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error'] });
app.use(app.get(OAUTH));
await app.listen(port, '127.0.0.1');
console.log(`Listening on ${base}`);
