// Servers (a) and (b) of `npm run bench` serve this bare Fastify route, which has the same schemas and authentication as POST
// /v1.0/sms/send.
import { PrismaPg } from '@prisma/adapter-pg';
import Fastify from 'fastify';
import plugin from 'fastify-plugin';
import { Authenticator } from '../../dist/accounts/authenticator.js';
import { PrismaClient } from '../../dist/platform/generated/prisma/client.js';
import { newId } from '../../dist/platform/ids.js';
import { bearerAuth } from '../../dist/surfaces/a/bearer-auth.js';
import { SmsSendAnswer, smsSendBody } from '../../dist/surfaces/a/endpoints/v1-schemas.js';
import { schemaCompilers } from '../../dist/surfaces/http/input/schema-compilers.js';

/**
 * Serves the route on PORT and calls `store` for each message, with a Prisma client for DATABASE_URL.
 * @param {(message: { id: string, accountId: string, from: string, to: string, message: string, at: Date },
 *   prisma: PrismaClient) => Promise<void> | void} store
 */
export async function serveRoute(store) {
  const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, max: 10 });
  const prisma = new PrismaClient({ adapter });
  const app = Fastify();
  await app.register(schemaCompilers);
  await app.register(plugin(async () => {}, { name: 'rate-limits' }));
  app.get('/health/ready', async () => ({ status: 'ready' }));
  await app.register(async (surface) => {
    await surface.register(bearerAuth, { authenticator: new Authenticator({ prisma }) });
    const schema = { body: smsSendBody(1600), response: { 200: SmsSendAnswer } };
    surface.post('/v1.0/sms/send', { schema }, async (request) => {
      const { from, to, message } = request.body;
      const acceptedAt = new Date();
      const id = newId();
      await store({ id, accountId: request.credential.account.id, from, to, message, at: acceptedAt }, prisma);
      const entry = { message_id: id, from, to, message, timestamp: acceptedAt.toISOString() };
      return { status: 'success', ...entry, data: [{ ...entry, message_count: 1 }] };
    });
  });
  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
  process.once('SIGTERM', async () => {
    await app.close();
    await prisma.$disconnect();
  });
}
