export { freePort } from '../../../src/platform/free-port.js';
