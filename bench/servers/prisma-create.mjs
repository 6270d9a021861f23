// Server (b) of `npm run bench`, which calls prisma.message.create once per request.
import { serveRoute } from './route.mjs';

const VALIDITY_MS = 172_800_000;

await serveRoute(async ({ id, accountId, from, to, message, at }, prisma) => {
  await prisma.message.create({
    data: {
      id,
      accountId,
      createdAt: at,
      validUntil: new Date(at.getTime() + VALIDITY_MS),
      priceMicros: 10_000n,
      surface: 'a',
      kind: 'sms',
      status: 'queued',
      priority: 0,
      parts: 1,
      carrier: 'simulator',
      sender: from,
      recipient: to,
      body: message,
    },
  });
});
