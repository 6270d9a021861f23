import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function openMetaEndpoint() {
  const webhooks: { body: string; signature: string; id: string }[] = [];
  const challenges: URLSearchParams[] = [];
  const behaviour = { answers: (query: URLSearchParams) => query.get('hub.challenge') ?? '', status: 200 };
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (request.method === 'GET') {
      challenges.push(searchParams);
      response.writeHead(behaviour.status).end(behaviour.answers(searchParams));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    webhooks.push({
      body: Buffer.concat(chunks).toString(),
      signature: String(request.headers['x-hub-signature-256']),
      id: String(request.headers['webhook-id']),
    });
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/whatsapp`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, webhooks, challenges, behaviour, close };
}
