// Loaded before Prisma's command line, which requires its studio and its local database whatever it is asked for. Nothing
// here runs either, and package.json has nothing in their places: with what they need they are 130 MB.
const Module = require('node:module');

const load = Module._load;
Module._load = function loadOther(request, ...more) {
  return /^@prisma\/(?:studio-core|dev)(?:\/|$)/.test(request) ? {} : load.call(this, request, ...more);
};
