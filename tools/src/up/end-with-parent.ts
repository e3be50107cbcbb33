// Every process that `make up` starts preloads this module, so that none outlives the daemon.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
