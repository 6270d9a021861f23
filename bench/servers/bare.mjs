// Server (a) of `npm run bench`: stores nothing.
import { serveRoute } from './route.mjs';

await serveRoute(() => {});
