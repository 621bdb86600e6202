# docker build -t toponaut .
# docker run --rm -v "$PWD:/data" -p 8080:8080 toponaut city "Oldenburg, DE" --pages 500
FROM python:3.11-slim AS build
WORKDIR /source
COPY . .
# Without a C compiler in the image, the build takes the one of the wheel `ziglang`.
RUN pip wheel --no-cache-dir --constraint constraints.txt --wheel-dir /wheels .

FROM python:3.11-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels toponaut \
    && useradd --create-home --uid 1000 toponaut \
    && install -d -o toponaut /data /cache
ENV XDG_CACHE_HOME=/cache
USER toponaut
# Compiles the gazetteer into the image, so that no container has to.
RUN toponaut places "Oldenburg, DE"
WORKDIR /data
STOPSIGNAL SIGINT
EXPOSE 8080
ENTRYPOINT ["toponaut"]
CMD ["--help"]
