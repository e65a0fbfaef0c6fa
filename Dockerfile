# One image for all services; the command chooses: node services/api/src/main.ts
ARG NODE_IMAGE=node:24-slim

# Copies only the manifests, so that a change of the sources does not repeat the installation.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name 'pnpm-*.yaml' -delete && find . -type d -empty -delete

FROM ${NODE_IMAGE} AS installer
ARG PNPM_VERSION=12.21.0
RUN command -v pnpm || npm install --global --no-audit --no-fund "pnpm@${PNPM_VERSION}"
WORKDIR /app
COPY --from=manifests /app .

FROM installer AS dependencies
# Installs only the services, without the root and its Node.js, which the image already has.
# Packages are links, as Node strips types only from files outside of node_modules.
RUN pnpm install --frozen-lockfile --prod --filter '{services/*}...' --filter '!@sluice/console' --filter '!@sluice/cli' --reporter=append-only \
 && find . \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -type f -delete \
 && find node_modules/.pnpm -mindepth 4 -maxdepth 5 -type d \
      \( -name test -o -name tests -o -name docs -o -name 'example*' -o -name 'benchmark*' -o -name .github \) -prune -exec rm -r {} +

# The image has only the built files of the console and of the command line.
FROM installer AS console
RUN pnpm install --frozen-lockfile --filter '@sluice/console...' --filter '@sluice/cli...' --reporter=append-only
COPY tsconfig.json .
COPY packages packages
COPY services/console services/console
COPY services/cli services/cli
COPY examples/webhooks examples/webhooks
RUN pnpm --dir services/console run build && pnpm --dir services/cli run build

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app .
COPY packages packages
COPY services/admin services/admin
COPY services/api services/api
COPY services/export-worker services/export-worker
COPY services/ingest-worker services/ingest-worker
COPY services/query-worker services/query-worker
COPY --from=console /app/services/console/dist services/console/dist
COPY --from=console /app/services/cli/dist services/cli/dist
# Fails the build, not the start, if a binary module has no build for this system.
RUN cd services/api && node -e "require('bcrypt').hashSync('', 4)" \
 && cd ../query-worker && node -e "require('@duckdb/node-api')"
# A new volume of archives gets its owner from here.
RUN install -d -o node -g node -m 700 /archive
RUN ln -s /app/services/admin/src/main.ts /usr/local/bin/sluice-admin
# Used only for labels. A service reports the version in package.json.
ARG SLUICE_VERSION=
ARG SLUICE_REVISION=
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="Self-hosted data collection: validated, durable uploads, listing and export." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${SLUICE_VERSION}" \
      org.opencontainers.image.revision="${SLUICE_REVISION}"
USER node
CMD ["node", "services/api/src/main.ts"]
