// Preloaded into every process that `make up` starts, so that none outlives the daemon.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
