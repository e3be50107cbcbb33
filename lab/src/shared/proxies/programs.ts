/** Programs that listen on PORT. The proxy forwards to SERVICE_URL. */
export const stubService = 'lab/src/shared/proxies/stub-service.ts'
export const fastifyProxy = 'lab/src/shared/proxies/fastify-proxy.ts'
