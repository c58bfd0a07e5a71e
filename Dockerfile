# A machine on which scripts/book finds all it needs, and scripts/test installs the rest: docker build -t conflict-free-cuda .
# docker run --rm -it -p 8000:8000 -v "$PWD":/book conflict-free-cuda scripts/book --serve
FROM debian:12
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates g++ git python3 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /book
COPY . .
RUN apt-get update \
    && scripts/setup \
    && rm -rf /var/lib/apt/lists/*
CMD ["scripts/book"]
