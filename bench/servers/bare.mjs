// Server (a) of `npm run bench`, which stores no messages.
import { serveRoute } from './route.mjs';

await serveRoute(() => {});
