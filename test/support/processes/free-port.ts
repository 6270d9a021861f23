// A TCP port on 127.0.0.1 that nothing listened on a moment ago, as the server finds one for its own PostgreSQL.
export { findFreePort as freePort } from '../../../src/platform/embedded/server.js';
