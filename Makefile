# Every verb with a text after ## appears in `make help`.
NODE := "$(CURDIR)/node_modules/.bin/node"
INSTALLED := node_modules/.watchline-installed

.PHONY: help start demo up down test bench faults load check format clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

start: $(INSTALLED) ## run all of Watchline on this machine (PORT, default 8080; DATA_DIR, default data/)
	@exec $(NODE) tools/src/start/main.ts

demo: $(INSTALLED) ## the same with a demo organisation to try
	@exec $(NODE) tools/src/start/main.ts --demo

up: $(INSTALLED) ## the same as gateway and services, processes of their own on RabbitMQ, Redis and MongoDB (DEMO=1; REPLICAS="chat=3")
	@exec $(NODE) tools/src/up/main.ts up

down: $(INSTALLED) ## end what `make up` started
	@exec $(NODE) tools/src/up/main.ts down

test: $(INSTALLED) ## check and test everything on real servers (ARGS="services/auth" for some tests only)
	@exec $(NODE) tools/src/checks/run-tests.ts $(ARGS)

bench: $(INSTALLED) ## measure beside a reference build (ROUNDS=1 for a quick look; ONLY=track; or one of DASHBOARD=1 LISTS=1 POLLS=1 STREAM=1 CHAT=1, with KILL=2 for kill -9 under the load)
	@exec $(NODE) lab/src/bench/main.ts

faults: $(INSTALLED) ## break every part again and again under load and look what was lost (CYCLES=20 SEED=… ONLY=broker,chat BROKEN=publish-and-forget)
	@exec $(NODE) lab/src/faults/main.ts

load: $(INSTALLED) ## measure the distributed system: processes replaced, no broker, more replicas, chat dead (ONLY=rolling,outage,replicas,isolation; ROUNDS, SECONDS, SCALE)
	@exec $(NODE) lab/src/load/main.ts

check: $(INSTALLED) ## format, lint, types and walls between folders
	@exec npm run --silent check

format: $(INSTALLED) ## format all files and put right what can be
	@exec npm run --silent format

clean: ## remove what was installed, built and downloaded; data/ stays
	rm -rf node_modules */node_modules services/*/node_modules shared/*/node_modules web/dist coverage .cache

# npm brings Node 24 itself, so that the Node that runs npm here may be any.
$(INSTALLED): package-lock.json
	@echo 'Installing dependencies (npm ci); the first time this takes a minute or two'
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $(INSTALLED)
