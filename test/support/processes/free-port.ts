export { freePort } from '../../../src/platform/machine/free-port.js';
