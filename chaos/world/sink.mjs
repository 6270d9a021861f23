import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { closeServer } from './close-server.mjs';

/** Where webhooks go. It notes what was told, verified, and answers 500 now and then where it is told to. */
export class Sink {
  /** `{id, type, data}` of each delivery that it answered with 200. */
  told = [];
  /** Deliveries that nobody signed who knows the secret. */
  forged = 0;
  fails = 0;
  /** Secrets of the webhooks that come here. */
  secrets = [];
  #server;
  #choices;

  constructor(choices) {
    this.#choices = choices;
  }

  async open() {
    this.#server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      if (this.#choices.happens(this.fails)) return response.writeHead(500).end();
      const event = this.#verify(Buffer.concat(chunks).toString(), request.headers);
      if (event) this.told.push({ id: request.headers['webhook-id'], ...event });
      else this.forged += 1;
      response.writeHead(200).end();
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${this.#server.address().port}/hook`;
  }

  #verify(body, headers) {
    for (const secret of this.secrets) {
      try {
        return new Webhook(secret).verify(body, headers);
      } catch {
        // It may be of the other webhook.
      }
    }
    return null;
  }

  async close() {
    await closeServer(this.#server, () => this.#server.closeAllConnections());
  }
}
