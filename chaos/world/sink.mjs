import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { closeServer } from './close-server.mjs';

/** A webhook receiver that verifies and records events, but returns 500 to a share of deliveries. */
export class Sink {
  /** `{id, type, data}` of each delivery that got the status 200. */
  events = [];
  /** Number of deliveries with an invalid signature. */
  forged = 0;
  /** Share of deliveries that get the status 500, from 0 to 1. */
  failureRate = 0;
  secrets = [];
  #server;
  #random;

  constructor(random) {
    this.#random = random;
  }

  async open() {
    this.#server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      if (this.#random.chance(this.failureRate)) return response.writeHead(500).end();
      const event = this.#verify(Buffer.concat(chunks).toString(), request.headers);
      if (event) this.events.push({ id: request.headers['webhook-id'], ...event });
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
        // The delivery may be signed with the secret of another webhook.
      }
    }
    return null;
  }

  async close() {
    await closeServer(this.#server, () => this.#server.closeAllConnections());
  }
}
