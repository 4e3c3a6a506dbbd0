# One image for the API, the worker and the migration: they differ in their command alone (docker-compose.yml).
#
# Node.js 22 is the oldest line that every dependency names. The tag has no digest, so that a new build takes what has
# been mended in the base since; who needs the same bytes twice keeps the image that was built.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json app.ts server.ts worker.ts cli.ts ./
COPY lib lib
COPY plugins plugins
COPY routes routes
RUN npm run build

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY --from=build /app/dist dist
# Whose files these are not: nothing in here can be changed from within.
USER node
EXPOSE 3000 2525
CMD ["node", "dist/server.js"]
