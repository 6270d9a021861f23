// Loaded before Prisma's command line, which always requires its studio and its local database. Heliograph uses neither, and
// package.json leaves them out: with their dependencies they take 130 MB.
const Module = require('node:module');

const load = Module._load;
Module._load = function loadWithoutStudio(request, ...args) {
  return /^@prisma\/(?:studio-core|dev)(?:\/|$)/.test(request) ? {} : load.call(this, request, ...args);
};
