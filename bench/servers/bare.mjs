// (a): stores nothing.
import { serveRoute } from './route.mjs';

await serveRoute(() => {});
