import { refuseOldNode } from './platform/machine/node-version.js';

refuseOldNode();
// Imported afterwards: an old Node.js fails on static imports of names that it does not have.
await import('./server.js');
