import { refuseOldNode } from './platform/machine/node-version.js';

refuseOldNode();
// Not before: an old Node.js refuses to link what imports names that it does not have.
await import('./server.js');
